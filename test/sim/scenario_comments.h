// SPDX-License-Identifier: Apache-2.0

// What scenario.proto says of its fields, read from its comments. A comment may
// be about several fields in a row; it states things for each, in order:
// "Default: 0s and 1s."
#ifndef RG_TEST_SIM_SCENARIO_COMMENTS_H
#define RG_TEST_SIM_SCENARIO_COMMENTS_H

#include <fstream>
#include <string>
#include <vector>

#include "support/proto_comments.h"

namespace rg_test {

struct ScenarioField {
  std::string message, type, name;
  bool is_list;
  std::string fallback, range;  // "" when the comment states none
};

// "[0s, 9s], [1, 2] and 3" has three parts; what has only one is for all.
inline std::string Part(const std::string &text, size_t number) {
  std::vector<std::string> parts(1);
  bool inside = false;
  for (size_t i = 0; i < text.size(); i++) {
    inside = (inside || text[i] == '[' || text[i] == '(') && text[i] != ']';
    size_t skip = inside                             ? 0
                  : text.compare(i, 5, " and ") == 0 ? 5
                  : text.compare(i, 2, ", ") == 0    ? 2
                                                     : 0;
    if (skip == 0) {
      parts.back() += text[i];
      continue;
    }
    parts.emplace_back();
    i += skip - 1;
  }
  return number < parts.size() ? parts[number] : text;
}

// Takes "optional Tier tier = 1;" or the like, into the words of it.
inline bool IsField(const std::string &line, std::vector<std::string> *words) {
  std::string word;
  words->clear();
  for (char c : line.substr(0, line.find(';')) + " ") {
    if (c != ' ') {
      word += c;
      continue;
    }
    words->push_back(word);
    word.clear();
  }
  if (words->front() != "optional" && words->front() != "repeated")
    words->insert(words->begin(), "");
  return words->size() == 5 && (*words)[3] == "=";
}

inline ScenarioField MakeField(const std::string &message,
                               const std::vector<std::string> &words,
                               const std::string &comment, size_t number) {
  ScenarioField field = {message, words[1], words[2], words[0] == "repeated",
                         "",      ""};
  field.fallback = Part(Between(comment + " ", "Default: ", ". "), number);
  field.range = Part(Between(comment + " ", "Range: ", ". "), number);
  return field;
}

inline std::vector<ScenarioField> ReadScenarioFields() {
  std::ifstream file(RG_PROTO_DIR "/retry_guard/v1/scenario.proto");
  std::vector<ScenarioField> fields;
  std::vector<std::string> words;
  std::string message, comment;
  size_t number = 0;  // of the field, among those of its comment
  for (std::string line; std::getline(file, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.rfind("// ", 0) == 0) {
      comment = (number > 0 ? "" : comment) + line.substr(3) + " ";
      number = 0;
      continue;
    }
    if (line.rfind("message ", 0) == 0)
      message = Between(line, "message ", " ");
    if (size_t at = line.find("; // "); at != std::string::npos)
      comment = line.substr(at + 5);
    if (IsField(line, &words))
      fields.push_back(MakeField(message, words, comment, number++));
    else
      comment.clear();
  }
  return fields;
}

}  // namespace rg_test

#endif
