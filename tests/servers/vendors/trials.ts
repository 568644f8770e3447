/** The trials of vendors' servers and of the editor; what they need is installed when the first of them is run. */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../../support/install.ts'
import type { Trial } from '../../support/suite.ts'

/** By the word in their names, so that nothing is installed or loaded to list them. */
const ROOMS = [
  [
    'vendors: google at @emulators/google: mail, calendar, drive, tokens, two people',
    async () => (await import('./google.ts')).tryGoogle,
  ],
  [
    'vendors: slack by the types, errors and cursors of @slack/web-api',
    async () => (await import('./slack.ts')).trySlack,
  ],
  [
    'vendors: editor with typescript-language-server, pyright, grammars and the reports of runners',
    async () => (await import('./editor.ts')).tryEditor,
  ],
] as const satisfies readonly (readonly [string, () => Promise<Trial['run']>])[]

export const vendorTrials: readonly Trial[] = ROOMS.map(([name, load]) => ({
  name,
  long: true,
  async run(report) {
    installPackages(fileURLToPath(new URL('.', import.meta.url)), { about: 'about 90 MB' })
    await (await load())(report)
  },
}))
