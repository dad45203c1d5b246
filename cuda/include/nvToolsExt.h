// nvToolsExt.h: NVTX, by which a program names its ranges to a profiler. No profiler looks on: all of it does nothing.
#ifndef ONCHIP_NV_TOOLS_EXT_H
#define ONCHIP_NV_TOOLS_EXT_H
#include "onchip/letters_off.h"
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define ONCHIP_NVTX(R, name, parameters, value)                                                               \
    static inline __attribute__((unused)) R name parameters { return value; }
ONCHIP_NVTX(void, nvtxInitialize, (const void *reserved), (void)0)
ONCHIP_NVTX(void, nvtxMarkA, (const char *text), (void)0)
ONCHIP_NVTX(void, nvtxMarkW, (const wchar_t *text), (void)0)
ONCHIP_NVTX(void, nvtxMarkEx, (const nvtxEventAttributes_t *event), (void)0)
ONCHIP_NVTX(int, nvtxRangePushA, (const char *text), NVTX_NO_PUSH_POP_TRACKING)
ONCHIP_NVTX(int, nvtxRangePushW, (const wchar_t *text), NVTX_NO_PUSH_POP_TRACKING)
ONCHIP_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event), NVTX_NO_PUSH_POP_TRACKING)
ONCHIP_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
ONCHIP_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char *text), 0)
ONCHIP_NVTX(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t *text), 0)
ONCHIP_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *event), 0)
ONCHIP_NVTX(void, nvtxRangeEnd, (nvtxRangeId_t id), (void)0)
ONCHIP_NVTX(void, nvtxNameCategoryA, (uint32_t number, const char *text), (void)0)
ONCHIP_NVTX(void, nvtxNameOsThreadA, (uint32_t number, const char *text), (void)0)
ONCHIP_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *text), (nvtxDomainHandle_t)0)
ONCHIP_NVTX(void, nvtxDomainDestroy, (nvtxDomainHandle_t domain), (void)0)
ONCHIP_NVTX(void, nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), (void)0)
ONCHIP_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event),
            NVTX_NO_PUSH_POP_TRACKING)
ONCHIP_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), NVTX_NO_PUSH_POP_TRACKING)
ONCHIP_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), 0)
ONCHIP_NVTX(void, nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id), (void)0)
ONCHIP_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *text),
            (nvtxStringHandle_t)0)
ONCHIP_NVTX(void, nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t number, const char *text), (void)0)
#undef ONCHIP_NVTX

#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif

#include "onchip/letters_back.h"
#endif
