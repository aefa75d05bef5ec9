// SPDX-License-Identifier: Apache-2.0

// What policy.proto says of its fields, read from its comments.
#ifndef RG_TEST_CONFIG_POLICY_COMMENTS_H
#define RG_TEST_CONFIG_POLICY_COMMENTS_H

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/proto_comments.h"

using rg_test::Between;
using rg_test::JsonName;

struct Field {
  std::string message;
  bool repeated = false;
  std::string type;
  std::string name;
  std::string comment;
  // What the comment states.
  std::string unit, fallback, range, scope, update;
};

inline std::filesystem::path ProtoPath() {
  return RG_PROTO_DIR "/retry_guard/v1/policy.proto";
}

inline void ReadStatements(Field *field) {
  const std::string text = field->comment + "\n";
  field->unit = Between(text, "Unit: ", ". Default: ");
  field->fallback = Between(text, ". Default: ", ". Range: ");
  field->range = Between(text, ". Range: ", ". Scope: ");
  field->scope = Between(text, ". Scope: ", ". Update: ");
  field->update = Between(text, ". Update: ", ".\n");
}

inline std::vector<std::string> Split(const std::string &text,
                                      const std::string &separator) {
  std::vector<std::string> parts;
  size_t start = 0, end;
  while ((end = text.find(separator, start)) != std::string::npos) {
    parts.push_back(text.substr(start, end - start));
    start = end + separator.size();
  }
  parts.push_back(text.substr(start));
  return parts;
}

// Takes "optional Budget budget = 1;", or the same with another label or none.
inline bool ReadField(const std::string &line, Field *field) {
  std::vector<std::string> words = Split(line, " ");
  field->repeated = words[0] == "repeated";
  if (words[0] == "optional" || field->repeated) words.erase(words.begin());
  if (words.size() != 4 || words[2] != "=" || line.back() != ';') return false;
  field->type = words[0];
  field->name = words[1];
  return true;
}

// All fields of the schema but those of Duration.
inline std::vector<Field> ReadFields() {
  std::ifstream file(ProtoPath());
  std::vector<Field> fields;
  Field next;
  for (std::string line; std::getline(file, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.rfind("// ", 0) == 0) {
      next.comment += (next.comment.empty() ? "" : " ") + line.substr(3);
      continue;
    }
    if (line.rfind("message ", 0) == 0)
      next.message = Between(line, "message ", " {");
    if (next.message != "Duration" && ReadField(line, &next)) {
      ReadStatements(&next);
      fields.push_back(next);
    }
    next.comment.clear();
  }
  return fields;
}

inline const std::vector<Field> &Fields() {
  static const std::vector<Field> fields = ReadFields();
  return fields;
}

// The path from the block to the messages of type `message`, as often as they
// are used: "budget.tokenBucket".
inline std::vector<std::string> PathsTo(const std::string &message) {
  if (message == "Policy") return {""};
  std::vector<std::string> paths;
  for (const Field &f : Fields())
    if (f.type == message)
      for (const std::string &path : PathsTo(f.message))
        paths.push_back(path + (path.empty() ? "" : ".") + JsonName(f.name));
  return paths;
}

#endif
