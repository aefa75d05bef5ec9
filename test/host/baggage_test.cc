// SPDX-License-Identifier: Apache-2.0
#include "host/baggage.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "host/heap_count.h"
#include "host/mark.h"
#include "support/random.h"

namespace {

using rg_test::Random;

rg_mark Mark(const std::string &owner, uint32_t hops = 2,
             uint32_t attempt = 1) {
  rg_mark mark = {};
  mark.hops = hops;
  mark.attempt = attempt;
  mark.owner_length = static_cast<uint8_t>(owner.size());
  memcpy(mark.owner, owner.data(), owner.size());
  return mark;
}

std::string Facts(const rg_mark &mark) {
  return std::string(mark.owner, mark.owner_length) + " " +
         std::to_string(mark.hops) + " " + std::to_string(mark.attempt);
}

constexpr char kRefused[] = "refused";

// `text` with `mark`, as it goes out.
std::string Write(const std::string &text, const rg_mark *mark) {
  char out[RG_BAGGAGE_MAX_BYTES];
  size_t length = 0;
  if (!rg_baggage_write(text.data(), text.size(), mark, out, &length))
    return kRefused;
  return std::string(out, length);
}

std::string Write(const std::string &text, const rg_mark &mark) {
  return Write(text, &mark);
}

std::string Read(const std::string &text) {
  rg_mark mark = {};
  switch (rg_baggage_read(text.data(), text.size(), &mark)) {
    case RG_MARK_NONE:
      return "none";
    case RG_MARK_DECODED:
      return Facts(mark);
    default:
      return "undecodable";
  }
}

// `mark` as the only member.
std::string Member(const rg_mark &mark) { return Write("", mark); }

std::string Encode(const rg_mark &mark) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  const size_t length = rg_mark_encode(&mark, bytes);
  return std::string(reinterpret_cast<const char *>(bytes), length);
}

bool Repeats(const std::string &text, const std::string &mark) {
  return rg_baggage_repeats(text.data(), text.size(), mark.data(), mark.size());
}

// What stands before the first `separator` of `rest`, which it is taken from.
std::string Take(std::string *rest, char separator) {
  const std::string taken = rest->substr(0, rest->find(separator));
  rest->erase(0, taken.size() + 1);
  return taken;
}

std::string Trim(const std::string &text, const char *what = " \t") {
  const size_t begin = text.find_first_not_of(what);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(what) + 1 - begin);
}

std::string NaivelyDecoded(std::string digits) {
  static const std::string kAll =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  while (!digits.empty() && digits.back() == '=') digits.pop_back();
  std::string bits, bytes;
  for (char digit : digits) {
    const size_t value = kAll.find(digit);
    if (value == std::string::npos || digits.size() > 128) return "undecodable";
    for (int bit = 5; bit >= 0; bit--) bits += (value >> bit & 1) ? '1' : '0';
  }
  for (size_t i = 0; i + 8 <= bits.size(); i += 8)
    bytes += static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2));
  rg_mark mark = {};
  return rg_mark_decode(bytes.data(), bytes.size(), &mark) ? Facts(mark)
                                                           : "undecodable";
}

// As Read, step by step as the format is told.
std::string NaivelyRead(std::string text) {
  while (!text.empty()) {
    std::string member = Take(&text, ',');
    std::string value = Take(&member, ';');
    if (Trim(Take(&value, '=')) == "retry-layer")
      return NaivelyDecoded(Trim(value));
  }
  return "none";
}

std::string Members(int count) {
  std::string text;
  for (int i = 0; i < count; i++)
    text += (i > 0 ? ",k" : "k") + std::to_string(i) + "=v";
  return text;
}

TEST(Baggage, IsReadAsItWasWritten) {
  for (size_t length = 0; length <= RG_OWNER_MAX; length++)
    for (uint32_t number : {0u, 1u, 127u, 128u, UINT32_MAX}) {
      const rg_mark mark = Mark(std::string(length, 'n'), number, ~number);
      EXPECT_EQ(Read(Member(mark)), Facts(mark));
    }
}

// 0xff, 0xfe ... stand for every digit of the alphabet.
TEST(Baggage, CarriesOwnersOfAnyUtf8) {
  for (const char *owner : {"größe", "支払い", "\x01\x7f", "~~~???", ">>>"})
    EXPECT_EQ(Read(Member(Mark(owner))), Facts(Mark(owner)));
}

TEST(Baggage, UsesOnlyWhatAValueMayHold) {
  const std::string member = Member(Mark(std::string(RG_OWNER_MAX, '\x7f')));
  EXPECT_EQ(member.rfind("retry-layer=", 0), 0u);
  EXPECT_EQ(member.find_first_not_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                "0123456789-_",
                strlen("retry-layer=")),
            std::string::npos);
}

// With each of the 256 bytes in the place of each byte.
TEST(Baggage, KnowsItsNameAndDigitsFromAnythingElse) {
  const std::string ours = "a=b, " + Member(Mark("edge")) + " ;p,c=d";
  for (size_t at = 0; at < ours.size(); at++)
    for (int byte = 0; byte < 256; byte++) {
      std::string text = ours;
      text[at] = static_cast<char>(byte);
      EXPECT_EQ(Read(text), NaivelyRead(text)) << text;
    }
}

TEST(Baggage, ReadsDigitsOfAnyNumber) {
  std::string digits;
  for (int count = 0; count < 140; count++, digits += 'B')
    for (const char *end : {"", "=", " ", "=;p", ",a=b"}) {
      // Field 16, unknown, of 94 bytes or less.
      const std::string text = "retry-layer=ggFd" + digits + end;
      EXPECT_EQ(Read(text), NaivelyRead(text)) << text;
      EXPECT_EQ(Read("retry-layer=" + digits + end),
                NaivelyRead("retry-layer=" + digits + end));
    }
}

TEST(Baggage, IsFoundAtTheBeginningInTheMiddleAndAtTheEnd) {
  const std::string ours = Member(Mark("edge"));
  for (const std::string &text :
       {ours + ",a=1", "a=1," + ours + ",b=2", "a=1,b=2," + ours,
        "a=1 , \t" + ours + " \t, b=2", ",,," + ours + ",,"})
    EXPECT_EQ(Read(text), Facts(Mark("edge"))) << text;
}

TEST(Baggage, SpacesAndPropertiesOfOurMemberDoNotMatter) {
  std::string ours = Member(Mark("edge"));
  EXPECT_EQ(Read(ours + ";ttl=5"), Facts(Mark("edge")));
  EXPECT_EQ(Read(ours + " ; a ; b=c"), Facts(Mark("edge")));
  ours.insert(strlen("retry-layer"), " \t");
  ours.insert(ours.find('=') + 1, "\t ");
  EXPECT_EQ(Read(" " + ours + " "), Facts(Mark("edge")));
}

TEST(Baggage, OfTwoMarksTheFirstCounts) {
  const std::string a = Member(Mark("a"));
  const std::string b = Member(Mark("b"));
  EXPECT_EQ(Read(a + "," + b), Facts(Mark("a")));
  EXPECT_EQ(Read(b + ",x=y," + a), Facts(Mark("b")));
}

TEST(Baggage, MembersOfOtherNamesAreNoMark) {
  const std::string value = Member(Mark("edge")).substr(strlen("retry-layer"));
  for (const std::string &name :
       {std::string("retry-laye"), std::string("retry-layer2"),
        std::string("Retry-Layer"), std::string("xretry-layer"),
        std::string("retry layer"), std::string()})
    EXPECT_EQ(Read(name + value), "none") << name;
  EXPECT_EQ(Read("a=retry-layer" + value), "none");
  EXPECT_EQ(Read("a=b;retry-layer" + value), "none");
  EXPECT_EQ(Read(""), "none");
  EXPECT_EQ(Read(",, ,\t,"), "none");
}

TEST(Baggage, PaddingIsHarmless) {
  const std::string ours = Member(Mark("edge"));
  for (const char *padding : {"=", "==", "==="})
    EXPECT_EQ(Read(ours + padding), Facts(Mark("edge")));
}

TEST(Baggage, AMemberOfOursThatHoldsNoMarkIsUndecodable) {
  for (const std::string &value :
       {std::string("####"), std::string("Cg+v"), std::string("Cg/v"),
        std::string("Cg v"), std::string("%20"), std::string("____"),
        std::string("Cghj"), std::string(129, 'A'), std::string(5000, 'A'),
        std::string("CgRlZ\0dl", 8), std::string("CgRlZGdlEAI=x")})
    EXPECT_EQ(Read("retry-layer=" + value), "undecodable") << value;
}

// Whoever sent one meant to say that retries are somebody's.
TEST(Baggage, AMemberOfOursWithoutAValueIsStillAMark) {
  EXPECT_NE(Read("retry-layer"), "none");
  EXPECT_NE(Read("retry-layer="), "none");
}

TEST(BaggageWrite, LeavesMembersOfOthersAsTheyAre) {
  const rg_mark mark = Mark("edge");
  for (const std::string &text :
       {std::string("userId=alice"), std::string(" a = 1 ;p; q = r ,\tb=%20"),
        std::string("a=1;ttl=5;x,b=,c"), std::string("=,;=,a==b"),
        std::string("retry-layer2=x,Retry-Layer=y"),
        std::string("\x80\xff=\x01")}) {
    EXPECT_EQ(Write(text, mark), text + "," + Member(mark));
    EXPECT_EQ(Write(text, nullptr), text);
  }
}

TEST(BaggageWrite, ReplacesOurMemberWhereverItStands) {
  const rg_mark mark = Mark("new");
  const std::string old = Member(Mark("old"));
  for (const std::string &text :
       {old + ",a=1,b=2", "a=1," + old + ",b=2", "a=1,b=2," + old,
        old + ",a=1," + old + ";p=q,b=2,retry-layer=####"})
    EXPECT_EQ(Write(text, mark), "a=1,b=2," + Member(mark)) << text;
  EXPECT_EQ(Write(old, nullptr), "");
}

TEST(BaggageWrite, LeavesEmptyMembersOut) {
  EXPECT_EQ(Write(",a=1,, \t,b=2,", nullptr), "a=1,b=2");
  EXPECT_EQ(Write("", nullptr), "");
  EXPECT_EQ(Write(" ", Mark("x")), Member(Mark("x")));
}

TEST(BaggageWrite, NeverMakesMoreThan64Members) {
  const rg_mark mark = Mark("edge");
  EXPECT_EQ(Write(Members(63), mark), Members(63) + "," + Member(mark));
  EXPECT_EQ(Write(Members(64), mark), Members(64)) << "no room for ours";
  EXPECT_EQ(Write(Members(65), mark), kRefused);
  EXPECT_EQ(Write(Members(65), nullptr), kRefused);
  EXPECT_EQ(Write(Members(1000), mark), kRefused);
  EXPECT_EQ(Write(Members(64) + ",,," + Member(mark), nullptr), Members(64));
}

TEST(BaggageWrite, NeverMakesMoreThan8192Bytes) {
  const rg_mark mark = Mark("edge");
  const size_t ours = Member(mark).size() + 1;
  for (size_t length :
       {size_t{RG_BAGGAGE_MAX_BYTES}, RG_BAGGAGE_MAX_BYTES - ours,
        RG_BAGGAGE_MAX_BYTES - ours + 1, RG_BAGGAGE_MAX_BYTES - ours - 1}) {
    const std::string text(length, 'x');
    const bool fits = length + ours <= RG_BAGGAGE_MAX_BYTES;
    EXPECT_EQ(Write(text, mark), fits ? text + "," + Member(mark) : text);
  }
  EXPECT_EQ(Write(std::string(RG_BAGGAGE_MAX_BYTES + 1, 'x'), mark), kRefused);
  EXPECT_EQ(Write(std::string(16384, 'x'), nullptr), kRefused);
  EXPECT_EQ(Write("a=1," + std::string(RG_BAGGAGE_MAX_BYTES - 4, 'x'), nullptr)
                .size(),
            size_t{RG_BAGGAGE_MAX_BYTES});
  EXPECT_EQ(Write("a=1," + std::string(RG_BAGGAGE_MAX_BYTES - 3, 'x'), nullptr),
            kRefused);
}

// Too long only for what is taken out of it.
TEST(BaggageWrite, OursDoesNotCountAgainstTheOthers) {
  EXPECT_EQ(Write("a=1,retry-layer=" + std::string(16384, 'A'), nullptr),
            "a=1");
}

TEST(BaggageMember, IsWhatIsWrittenToAnEmptyText) {
  for (size_t length = 0; length <= RG_OWNER_MAX; length++) {
    const rg_mark mark = Mark(std::string(length, 'n'));
    const std::string bytes = Encode(mark);
    char member[RG_BAGGAGE_MEMBER_MAX];
    const size_t size = rg_baggage_member(bytes.data(), bytes.size(), member);
    EXPECT_EQ(std::string(member, size), Member(mark));
  }
}

TEST(BaggageMember, HasRoomForTheLongestMark) {
  const std::string bytes(RG_MARK_MAX_BYTES, '\xff');
  char member[RG_BAGGAGE_MEMBER_MAX];
  EXPECT_EQ(rg_baggage_member(bytes.data(), bytes.size(), member),
            sizeof(member));
}

TEST(BaggageRepeats, AMarkThatSaysTheSame) {
  for (const rg_mark &mark : {Mark(""), Mark("edge"), Mark("", 0, 0),
                              Mark(std::string(RG_OWNER_MAX, 'x'), ~0u, ~0u)})
    EXPECT_TRUE(Repeats(Member(mark), Encode(mark)));
}

TEST(BaggageRepeats, NothingThatSaysAnythingElse) {
  const rg_mark mark = Mark("edge", 2, 1);
  const std::string bytes = Encode(mark);
  for (const rg_mark &other : {Mark("edgf", 2, 1), Mark("edge", 3, 1),
                               Mark("edge", 2, 2), Mark("edg", 2, 1)})
    EXPECT_FALSE(Repeats(Member(other), bytes));
  EXPECT_FALSE(Repeats("", ""));
  EXPECT_FALSE(Repeats("", bytes));
  EXPECT_FALSE(Repeats("a=b," + Member(mark), bytes))
      << "not looked at closely";
  EXPECT_FALSE(Repeats(Member(mark) + ";p", bytes));
  EXPECT_FALSE(Repeats("retry-layer=", std::string(20000, 'x')));
}

TEST(Baggage, NeedsNoHeap) {
  const std::string text = "a=1," + Member(Mark("old"));
  const rg_mark mark = Mark("new");
  char out[RG_BAGGAGE_MAX_BYTES];
  size_t length = 0;
  rg_mark read = {};
  const uint64_t before = rg_test::HeapAllocations();
  rg_baggage_read(text.data(), text.size(), &read);
  rg_baggage_write(text.data(), text.size(), &mark, out, &length);
  EXPECT_EQ(rg_test::HeapAllocations(), before);
}

std::string Strip(std::string text) {
  text.resize(rg_baggage_strip(text.data(), text.size()));
  return text;
}

TEST(Baggage, StripsItsMembersAndLeavesThoseOfOthersAsTheyAre) {
  const std::string ours = Member(Mark("edge"));
  EXPECT_EQ(Strip(""), "");
  EXPECT_EQ(Strip(ours), "");
  EXPECT_EQ(Strip(ours + "," + ours + ";p"), "");
  EXPECT_EQ(Strip("a=1;p , b=2"), "a=1;p , b=2");
  EXPECT_EQ(Strip(ours + ",a=1 ," + ours + ", retry-layer=x,\tb=2"),
            "a=1 ,\tb=2");
}

TEST(Baggage, StripsATextOfAnyLength) {
  const std::string ours = Member(Mark("edge"));
  EXPECT_EQ(Strip(Members(1000) + "," + ours), Members(1000));
  const std::string large = "k=" + std::string(100000, '\xff');
  EXPECT_EQ(Strip(ours + "," + large + "," + ours), large);
}

// Whatever comes in: what goes out is within the limits, holds the mark once,
// and written again stays as it is.
TEST(Baggage, SurvivesNonsense) {
  const std::string alphabet = ",,;= \tab\xff";
  const std::string ours = Member(Mark("old"));
  Random random(1);
  for (int round = 0; round < 20000; round++) {
    std::string text;
    for (uint64_t i = random.Below(60); i > 0; i--) {
      if (random.OneIn(20)) text += ours.substr(0, random.Below(ours.size()));
      if (random.OneIn(40)) text += ours;
      text += alphabet[random.Below(alphabet.size())];
    }
    // On the heap, to the byte, for the sanitizers.
    const std::string exact(text.data(), text.size());
    EXPECT_EQ(Read(exact), NaivelyRead(exact)) << exact;
    const rg_mark mark = Mark("new", 1, static_cast<uint32_t>(round));
    const std::string out = Write(exact, mark);
    if (out == kRefused) continue;
    EXPECT_EQ(Write(out, mark), out);
    EXPECT_EQ(Read(out), Facts(mark)) << out;
  }
}

}  // namespace
