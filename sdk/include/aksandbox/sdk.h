/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Helpers for providers, in the static archive libaksandbox-sdk.a.
 *
 * What they have in common  A function that can fail returns 0, or a negative errno; outputs are
 * untouched on failure. Every descriptor is close-on-exec. Nothing here keeps state, so any thread may
 * call anything, two threads not on the same object. No function prints, logs, sets a signal handler or
 * changes the process's folder, mask or environment. All are of version 0.1 unless they say otherwise. / */
#ifndef AKSANDBOX_SDK_H
#define AKSANDBOX_SDK_H
#include <aksandbox/sdk-cleanup.h>
#include <aksandbox/sdk-folder.h>
#include <aksandbox/sdk-process.h>
#include <aksandbox/sdk-text.h>
#endif
