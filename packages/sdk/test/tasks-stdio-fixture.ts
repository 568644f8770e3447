/** The server of the tests of tasks as a program. */

import { serveStdio } from '../src/serve/stdio.ts'
import { createTaskServer, createTurnstile } from './tasks-fixture.ts'

serveStdio(createTaskServer({}, { gate: createTurnstile(), done: [] }).server)
