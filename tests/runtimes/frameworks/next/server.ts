/** Your server, as the route sees it: here, the one that the checks know. */

import { createSubject } from '../../server.ts'

export const server = createSubject()
