// check.h: what cmocka wants included before it, in one line; and whether this is the long form of a test
// (`getenv("ONCHIP_LONG")`, test/CMakeLists.txt).
#ifndef CHECK_H
#define CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#endif
