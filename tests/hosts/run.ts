/**
 * `npm run hosts`: the host inside programs that people sit in. Neovim in a real terminal, the extension for VS Code as it is
 * packaged, a team chat before a service of Slack's shape; a scripted model, real servers, hostile ones.
 */

import { buildBinary } from '../cli/binary.ts'
import { runSuite } from '../support/suite.ts'

await runSuite(import.meta.url, {
  flags: { 'no-build': { type: 'boolean', about: 'take what is built' } },
  end: 'now',
  async open(flags) {
    return {
      trials: [
        ...(await import('./neovim.ts')).trials,
        ...(await import('./neovim-hostile.ts')).trials,
        ...(await import('./vscode.ts')).trials,
        ...(await import('./chat.ts')).trials,
      ],
      limitMs: 240_000,
      before: () => (flags['no-build'] === true ? undefined : buildBinary()),
    }
  },
})
