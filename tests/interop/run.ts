/**
 * `npm run interop`: our server and client against programs that nobody here wrote. Needs the network once, to install them
 * into `tests/node_modules`. Fails when a check fails or something is left running.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'

await runSuite(import.meta.url, {
  end: 'nothing left open',
  async open() {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    return { trials: (await import('./suites/index.ts')).suites, limitMs: 240_000 }
  },
})
