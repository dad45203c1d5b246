// cmd_course.c: onchip course: writes the first course's programs into a folder. A file that is there and is another
// stays: somebody may have mended it.
#include "cli/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const Option options[] = {{"--help", NULL, "this text"}};
const CommandLine course_line = {options, COUNT(options), NULL};

// What a lesson is about: its first line is "// Lesson N, TITLE: …".
static void put_title(const Lesson *l, Text *out)
{
    const char *from = strchr(l->text, ','), *to = from ? strchr(from, ':') : NULL;
    if (to) text_add(out, from + 2, (size_t)(to - from - 2));
}

// Is there another file of that name?
static bool is_other(const char *path, const Lesson *l)
{
    Text there = {0};
    const bool other = text_read_file(&there, path) && (there.n != l->size || memcmp(there.v, l->text, l->size) != 0);
    text_free(&there);
    return other;
}

static int write_lesson(const char *folder, const Lesson *l)
{
    Text path = {0}, title = {0}, text = {0};
    int code = EXIT_OK;
    text_printf(&path, "%s/%s.cu", folder, l->name);
    put_title(l, &title);
    text_add(&text, l->text, l->size);
    if (is_other(path.v, l))
        printf("%-24s is there already, and stays\n", path.v);
    else if (text_write_file(&text, path.v))
        printf("%-24s %s\n", path.v, title.v);
    else
        code = tell(EXIT_FAILED, "can't write %s: %s", path.v, strerror(errno));
    text_free(&path), text_free(&title), text_free(&text);
    return code;
}

int cmd_course(int argc, char **argv)
{
    static const char usage[] = "usage: onchip course [FOLDER]\n\n"
                                "Writes nine CUDA programs of some thirty lines into a folder (course): a first\n"
                                "course. Each has something to see and something to mend. doc/use/course.md goes\n"
                                "with them.\n";
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    const char *folder = NULL;
    for (int o; (o = args_next(&a)) != -2;) {
        if (o == -3) return EXIT_USAGE;
        if (o == 0) return fputs(usage, stdout), EXIT_OK;
        if (folder) return tell(EXIT_USAGE, "course takes one folder: '%s' is one too many", a.value);
        folder = a.value;
    }
    if (!folder) folder = "course";
    if (mkdir(folder, 0777) && errno != EEXIST)
        return tell(EXIT_FAILED, "can't make the folder %s: %s", folder, strerror(errno));
    int code = EXIT_OK;
    for (size_t k = 0; k < lesson_count && code == EXIT_OK; k++) code = write_lesson(folder, &lessons[k]);
    if (code == EXIT_OK) printf("\nBegin with: onchip run %s/%s.cu\n", folder, lessons[0].name);
    return code;
}
