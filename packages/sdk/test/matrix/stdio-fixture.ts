/** The matrix's server as a program. Its one argument is JSON: the options that differ from the fixture's own. */

import { serveStdio } from '../../src/serve/stdio.ts'
import { createFixture } from './fixture.ts'

serveStdio(createFixture(JSON.parse(process.argv[2] ?? '{}')).server)
