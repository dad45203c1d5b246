// onchip/cu_textures.h: arrays, textures and surfaces, as objects and as references of modules, and maps of tensors.
#ifndef ONCHIP_CU_TEXTURES_H
#define ONCHIP_CU_TEXTURES_H

#ifdef __cplusplus
extern "C" {
#endif

// --- arrays ----------------------------------------------------------------------------------------------------------
typedef enum CUarray_format_enum {
    CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    CU_AD_FORMAT_SIGNED_INT8 = 0x08,
    CU_AD_FORMAT_SIGNED_INT16 = 0x09,
    CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
    CU_AD_FORMAT_HALF = 0x10,
    CU_AD_FORMAT_FLOAT = 0x20,
    CU_AD_FORMAT_BC1_UNORM = 0x91,
    CU_AD_FORMAT_BC1_UNORM_SRGB,
    CU_AD_FORMAT_BC2_UNORM,
    CU_AD_FORMAT_BC2_UNORM_SRGB,
    CU_AD_FORMAT_BC3_UNORM,
    CU_AD_FORMAT_BC3_UNORM_SRGB,
    CU_AD_FORMAT_BC4_UNORM,
    CU_AD_FORMAT_BC4_SNORM,
    CU_AD_FORMAT_BC5_UNORM,
    CU_AD_FORMAT_BC5_SNORM,
    CU_AD_FORMAT_BC6H_UF16,
    CU_AD_FORMAT_BC6H_SF16,
    CU_AD_FORMAT_BC7_UNORM,
    CU_AD_FORMAT_BC7_UNORM_SRGB,
    CU_AD_FORMAT_NV12 = 0xb0,
    CU_AD_FORMAT_UNORM_INT8X1 = 0xc0,
    CU_AD_FORMAT_UNORM_INT8X2,
    CU_AD_FORMAT_UNORM_INT8X4,
    CU_AD_FORMAT_UNORM_INT16X1,
    CU_AD_FORMAT_UNORM_INT16X2,
    CU_AD_FORMAT_UNORM_INT16X4,
    CU_AD_FORMAT_SNORM_INT8X1,
    CU_AD_FORMAT_SNORM_INT8X2,
    CU_AD_FORMAT_SNORM_INT8X4,
    CU_AD_FORMAT_SNORM_INT16X1,
    CU_AD_FORMAT_SNORM_INT16X2,
    CU_AD_FORMAT_SNORM_INT16X4
} CUarray_format;
typedef enum CUarray_cubemap_face_enum {
    CU_CUBEMAP_FACE_POSITIVE_X,
    CU_CUBEMAP_FACE_NEGATIVE_X,
    CU_CUBEMAP_FACE_POSITIVE_Y,
    CU_CUBEMAP_FACE_NEGATIVE_Y,
    CU_CUBEMAP_FACE_POSITIVE_Z,
    CU_CUBEMAP_FACE_NEGATIVE_Z
} CUarray_cubemap_face;
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_2DARRAY 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08
#define CUDA_ARRAY3D_DEPTH_TEXTURE 0x10
#define CUDA_ARRAY3D_COLOR_ATTACHMENT 0x20
#define CUDA_ARRAY3D_SPARSE 0x40
#define CUDA_ARRAY3D_DEFERRED_MAPPING 0x80
#define CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL 0x1
typedef struct CUDA_ARRAY_DESCRIPTOR_st {
    size_t Width, Height;
    CUarray_format Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
    size_t Width, Height, Depth;
    CUarray_format Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_ARRAY_SPARSE_PROPERTIES_st {
    struct {
        unsigned width, height, depth;
    } tileExtent;
    unsigned miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned flags, reserved[4];
} CUDA_ARRAY_SPARSE_PROPERTIES;
typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st {
    size_t size, alignment;
    unsigned reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape);
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *shape, CUarray array);
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned index);
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array);
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUarray array, CUdevice device);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape, unsigned levels);
CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned index);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array);
CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUmipmappedArray array);
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUmipmappedArray array,
                                               CUdevice device);

// --- objects ---------------------------------------------------------------------------------------------------------
typedef enum CUaddress_mode_enum {
    CU_TR_ADDRESS_MODE_WRAP,
    CU_TR_ADDRESS_MODE_CLAMP,
    CU_TR_ADDRESS_MODE_MIRROR,
    CU_TR_ADDRESS_MODE_BORDER
} CUaddress_mode;
typedef enum CUfilter_mode_enum { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR } CUfilter_mode;
#define CU_TRSA_OVERRIDE_FORMAT 0x01
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_TRSF_SEAMLESS_CUBEMAP 0x40
typedef enum CUresourcetype_enum {
    CU_RESOURCE_TYPE_ARRAY,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
    CU_RESOURCE_TYPE_LINEAR,
    CU_RESOURCE_TYPE_PITCH2D
} CUresourcetype;
typedef struct CUDA_RESOURCE_DESC_st {
    CUresourcetype resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr devPtr;
            CUarray_format format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            CUarray_format format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
    CUaddress_mode addressMode[3];
    CUfilter_mode filterMode;
    unsigned flags, maxAnisotropy;
    CUfilter_mode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;
typedef enum CUresourceViewFormat_enum {
    CU_RES_VIEW_FORMAT_NONE,
    CU_RES_VIEW_FORMAT_UINT_1X8,
    CU_RES_VIEW_FORMAT_UINT_2X8,
    CU_RES_VIEW_FORMAT_UINT_4X8,
    CU_RES_VIEW_FORMAT_SINT_1X8,
    CU_RES_VIEW_FORMAT_SINT_2X8,
    CU_RES_VIEW_FORMAT_SINT_4X8,
    CU_RES_VIEW_FORMAT_UINT_1X16,
    CU_RES_VIEW_FORMAT_UINT_2X16,
    CU_RES_VIEW_FORMAT_UINT_4X16,
    CU_RES_VIEW_FORMAT_SINT_1X16,
    CU_RES_VIEW_FORMAT_SINT_2X16,
    CU_RES_VIEW_FORMAT_SINT_4X16,
    CU_RES_VIEW_FORMAT_UINT_1X32,
    CU_RES_VIEW_FORMAT_UINT_2X32,
    CU_RES_VIEW_FORMAT_UINT_4X32,
    CU_RES_VIEW_FORMAT_SINT_1X32,
    CU_RES_VIEW_FORMAT_SINT_2X32,
    CU_RES_VIEW_FORMAT_SINT_4X32,
    CU_RES_VIEW_FORMAT_FLOAT_1X16,
    CU_RES_VIEW_FORMAT_FLOAT_2X16,
    CU_RES_VIEW_FORMAT_FLOAT_4X16,
    CU_RES_VIEW_FORMAT_FLOAT_1X32,
    CU_RES_VIEW_FORMAT_FLOAT_2X32,
    CU_RES_VIEW_FORMAT_FLOAT_4X32,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC1,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC2,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC3,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC4,
    CU_RES_VIEW_FORMAT_SIGNED_BC4,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC5,
    CU_RES_VIEW_FORMAT_SIGNED_BC5,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC6H,
    CU_RES_VIEW_FORMAT_SIGNED_BC6H,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC7
} CUresourceViewFormat;
typedef struct CUDA_RESOURCE_VIEW_DESC_st {
    CUresourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;
CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how,
                           const CUDA_RESOURCE_VIEW_DESC *view);
CUresult cuTexObjectDestroy(CUtexObject texture);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject texture);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *how, CUtexObject texture);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture);
CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(CUsurfObject surface);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject surface);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *texels, CUarray_format format, unsigned channels, CUdevice device);

// --- references of modules -------------------------------------------------------------------------------------------
CUresult cuTexRefCreate(CUtexref *texture);
CUresult cuTexRefDestroy(CUtexref texture);
CUresult cuTexRefSetArray(CUtexref texture, CUarray array, unsigned flags);
CUresult cuTexRefSetMipmappedArray(CUtexref texture, CUmipmappedArray array, unsigned flags);
CUresult cuTexRefSetAddress(size_t *offset, CUtexref texture, CUdeviceptr at, size_t bytes);
CUresult cuTexRefSetAddress2D(CUtexref texture, const CUDA_ARRAY_DESCRIPTOR *shape, CUdeviceptr at, size_t pitch);
CUresult cuTexRefSetFormat(CUtexref texture, CUarray_format format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref texture, int dimension, CUaddress_mode mode);
CUresult cuTexRefSetFilterMode(CUtexref texture, CUfilter_mode mode);
CUresult cuTexRefSetMipmapFilterMode(CUtexref texture, CUfilter_mode mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref texture, float bias);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref texture, float least, float most);
CUresult cuTexRefSetMaxAnisotropy(CUtexref texture, unsigned most);
CUresult cuTexRefSetBorderColor(CUtexref texture, float *color);
CUresult cuTexRefSetFlags(CUtexref texture, unsigned flags);
CUresult cuTexRefGetArray(CUarray *array, CUtexref texture);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref texture);
CUresult cuTexRefGetAddress(CUdeviceptr *at, CUtexref texture);
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref texture);
CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref texture, int dimension);
CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref texture);
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref texture);
CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref texture);
CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref texture);
CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref texture);
CUresult cuTexRefGetBorderColor(float *color, CUtexref texture);
CUresult cuTexRefGetFlags(unsigned *flags, CUtexref texture);
CUresult cuSurfRefSetArray(CUsurfref surface, CUarray array, unsigned flags);
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surface);

// --- maps of tensors -------------------------------------------------------------------------------------------------
typedef struct __attribute__((aligned(64))) CUtensorMap_st {
    cuuint64_t opaque[16];
} CUtensorMap;
typedef enum CUtensorMapDataType_enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8,
    CU_TENSOR_MAP_DATA_TYPE_UINT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT32,
    CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64,
    CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ
} CUtensorMapDataType;
typedef enum CUtensorMapInterleave_enum {
    CU_TENSOR_MAP_INTERLEAVE_NONE,
    CU_TENSOR_MAP_INTERLEAVE_16B,
    CU_TENSOR_MAP_INTERLEAVE_32B
} CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle_enum {
    CU_TENSOR_MAP_SWIZZLE_NONE,
    CU_TENSOR_MAP_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B,
    CU_TENSOR_MAP_SWIZZLE_128B
} CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion_enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE,
    CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill_enum {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} CUtensorMapFloatOOBfill;
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *at,
                                const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *at,
                                 const cuuint64_t *sizes, const cuuint64_t *strides, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *at);

#ifdef __cplusplus
}
#endif
#endif
