// unit.h: what the files of serve ask of each other. What other parts call stands in serve.h.
#ifndef SERVE_UNIT_H
#define SERVE_UNIT_H

#include "serve/serve.h"

// --- for this folder's own files -------------------------------------------------------------------------------------

// child.c
// Starts the program, which finds libcudart and the socket's name in its environment. −1, and why: it can't.
// It keeps so many bytes of addresses free for the device's memory, from base on.
pid_t child_start(const ServeOptions *o, const char *socket, uint64_t base, uint64_t bytes, Diag *diag);
// needs.c
// Are NVIDIA's libraries there that a program, whose file this is, asks for? folder: has onchip's own. False, and which
// isn't, with what to do.
bool needs_met(const Elf *e, const char *program, const char *folder, Diag *diag);
// queue.c: launches, and what is done with values in the order of a stream
enum {  // cudaError_t
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    OUT_OF_RESOURCES = 701,
    TIMEOUT = 702,
    NOT_SUPPORTED = 801,
    INVALID_CLUSTER = 912
};
int serve_result(const Serving *s, oc_status status);  // a cudaError_t
void serve_tell(const Serving *s);                     // why the device's last call failed
void queue_add(Guest *g, const Waiting *w);
void queue_run(Serving *s);  // the guest's, as far as the values are there that they wait for
// Does what is held come before work of this stream? null: the default one, before which all comes.
bool queue_holds(const Guest *g, const oc_stream *stream);
void queue_fail(Serving *s);  // nobody can write such a value any more: all further calls have an error
void queue_drop(Guest *g);
// answers.c
// Answers a call; out gets the text. Returns a cudaError_t.
int answer(Serving *s, const WireCall *c, WireAnswer *a, Text *out);
void answers_reset(Serving *s);  // what the guest has made is gone; the device is as new, if nobody else uses it
void guest_free(Guest *g);
void answers_free(Serving *s);

#endif
