// settings.c: reads the environment when it is first needed, and writes the log. ONCHIP_SL1 has settings as --sl1= of
// `onchip run` takes them, ONCHIP_SL1_LOG the name of a file or "stderr". An unknown setting is reported in the log,
// and otherwise ignored: the application must run in any case.
#include "preload/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Preload preload = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .log = -1};

// A line is written by one call of write, so that lines stay whole if threads or processes share the file.
static void write_line(const Text *line)
{
    ssize_t n = write(preload.log, line->v, line->n);
    (void)n;  // a full disk is no reason to disturb anybody
}

static void read_environment(void)
{
    const char *log = getenv("ONCHIP_SL1_LOG"), *list = getenv("ONCHIP_SL1");
    if (log && !strcmp(log, "stderr"))
        preload.log = dup(STDERR_FILENO);
    else if (log && *log)
        preload.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    preload.options = sl1_defaults;
    char *copy = mem_text(list ? list : ""), *rest = copy;
    for (char *name; (name = strsep(&rest, ","));) {
        Diag why = {0};
        char *value = strchr(name, '=');
        if (value) *value++ = '\0';
        if (*name && !sl1_set(&preload.options, name, value, &why)) {
            Text line = {0};
            text_printf(&line, "onchip-sl1: ONCHIP_SL1: %s\n", why.text.v);
            if (preload.log >= 0) write_line(&line);
            text_free(&line);
        }
        diag_free(&why);
    }
    mem_free(copy);
}

const Sl1Options *settings(void)
{
    pthread_once(&preload.once, read_environment);
    return &preload.options;
}

void log_line(const char *format, ...)
{
    settings();
    if (preload.log < 0) return;
    Text line = {0};
    va_list args;
    va_start(args, format);
    text_put(&line, "onchip-sl1: ");
    text_vprintf(&line, format, args);
    text_put(&line, "\n");
    va_end(args);
    write_line(&line);
    text_free(&line);
}

const char *error_name(CUresult r)
{
    const char *name = NULL;
    return REAL(cuGetErrorName, r, &name) == CUDA_SUCCESS && name ? name : "an unknown error";
}
