// The INI reader takes any bytes, and what it reads lies where it says.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Ini ini;
    Diag diag = {0};
    bool good = ini_parse(&ini, "fuzz.ini", (const char *)data, size, &diag);
    if (good == diag.failed) abort();
    for (size_t i = 0; i < ini.entries.n; i++) {
        const IniEntry *entry = &ini.entries.v[i];
        const char *text = ini.source.text;
        if (entry->key_at > size || entry->value_at > size) abort();
        if (strncmp(text + entry->key_at, entry->key, strlen(entry->key)) != 0) abort();
        if (strncmp(text + entry->value_at, entry->value, strlen(entry->value)) != 0) abort();
        uint64_t bytes;
        double value;
        parse_size(entry->value, &bytes);
        parse_double(entry->value, &value);
    }
    // An error anywhere in the text can be shown.
    Diag place = {0};
    diag_at(&place, &ini.source, size ? data[0] * size / 255 : 0, "hint", "message");
    Json json = {0};
    json_string(&json, diag.failed ? diag.text.v : NULL, place.text.v);
    json_free(&json);
    diag_free(&place);
    diag_free(&diag);
    ini_free(&ini);
    return 0;
}
