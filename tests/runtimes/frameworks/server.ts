/** Your server, as the examples beside this file see it: here, the one that the checks know. */

import { createSubject } from '../server.ts'

export const server = createSubject()
