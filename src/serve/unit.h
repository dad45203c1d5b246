// unit.h: what the files of serve ask of each other. What other parts call stands in serve.h.
#ifndef SERVE_UNIT_H
#define SERVE_UNIT_H

#include "serve/serve.h"

// --- for this folder's own files -------------------------------------------------------------------------------------

// child.c
// Starts the program, which finds libcudart and the socket's name in its environment. −1, and why: it can't.
pid_t child_start(const ServeOptions *o, const char *socket, Diag *diag);
// answers.c
// Answers a call; out gets the text. Returns a cudaError_t.
int answer(Serving *s, const WireCall *c, WireAnswer *a, Text *out);
void answers_run(Serving *s);    // the launches of the guest that wait
void answers_reset(Serving *s);  // what the guest has made is gone; the device is as new, if nobody else uses it
void guest_free(Guest *g);
void answers_free(Serving *s);

#endif
