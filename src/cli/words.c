// words.c: what the words of the field mean (words.def), as a page and as a list.
#include "cli/unit.h"

#include <stdio.h>
#include <string.h>

void words_manual(Text *out)
{
#define PART(title) text_put(out, out->n ? "\n" : ""), text_put(out, "## " title "\n\n| word | meaning |\n|---|---|\n");
#define WORD(word, meaning) text_put(out, "| " word " | " meaning " |\n");
#include "cli/words.def"
#undef PART
#undef WORD
}

void put_plain(const char *text, Text *out)
{
    for (; *text; text++) {
        if (*text == ']' && text[1] == '(')
            text += strcspn(text, ")");
        else if (!strchr("[`*", *text))
            text_add(out, text, 1);
    }
}

void list_words(void)
{
    static const char *const words[][2] = {
#define PART(title) {NULL, title},
#define WORD(word, meaning) {word, meaning},
#include "cli/words.def"
#undef PART
#undef WORD
    };
    for (size_t k = 0; k < COUNT(words); k++) {
        Text t = {0};
        put_plain(words[k][1], &t);
        if (words[k][0])
            put_row(stdout, words[k][0], 26, BREAK_WORDS, t.v);
        else
            printf("%s%s\n", k ? "\n" : "", t.v);
        text_free(&t);
    }
}
