/* SPDX-License-Identifier: Apache-2.0 */
/* A request of the application, checked and run. */
#ifndef AKSANDBOX_CORE_REQUEST_H
#define AKSANDBOX_CORE_REQUEST_H
#include "runtime.h"

/* As this library knows it, whatever size the caller's has; what it points to stays the caller's. */
enum ak_status ak_request_copy (const struct ak_request *from, struct ak_request *to, struct ak_error **error);
/* Run a checked one in this thread. */
enum ak_status ak_request_run (struct ak_session *session, const struct ak_request *request, struct ak_result **result,
                               struct ak_error **error);

#endif
