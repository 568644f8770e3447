/**
 * `npm run runtimes`: our server on every runtime and framework, a real browser and an official client before it. Needs the
 * network once, to install into `tests/node_modules` (about 1.3 GB), and Chromium for the browser's part.
 */

import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'
import { folder } from './bundle.ts'
import { GROUPS } from './checks/check.ts'

await runSuite(import.meta.url, {
  end: 'now',
  async open() {
    installPackages(folder, { about: 'about 1.3 GB' })
    return { trials: (await import('./suites/index.ts')).suites, columns: GROUPS }
  },
})
