// onchip/cu_uuid.h: the structure that the driver and the runtime have in common.
#ifndef ONCHIP_CU_UUID_H
#define ONCHIP_CU_UUID_H

typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;

#endif
