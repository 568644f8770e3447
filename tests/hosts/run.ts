/**
 * `npm run hosts`: the host inside programs that people sit in. Neovim in a real terminal, the extension for VS Code as it is
 * packaged, a team chat before a service of Slack's shape; a scripted model, real servers, hostile ones.
 */

import { buildBinary } from '../cli/binary.ts'
import { runSuite } from '../support/suite.ts'
import { NEOVIM } from './neovim-place.ts'

await runSuite(import.meta.url, {
  flags: {
    'no-build': { type: 'boolean', about: 'take what is built' },
    neovim: {
      type: 'string',
      multiple: true,
      about: 'another Neovim to try, by its program; may be given several times',
    },
  },
  end: 'now',
  async open(flags) {
    const { neovimTrial, newerNeovim } = await import('./neovim.ts')
    const { hostileTrial } = await import('./neovim-hostile.ts')
    const others = flags.neovim ?? []
    return {
      trials: [
        ...[NEOVIM, ...others].flatMap((program) => [neovimTrial(program), hostileTrial(program)]),
        ...(others.length === 0 ? [newerNeovim] : []),
        ...(await import('./vscode.ts')).trials,
        ...(await import('./chat.ts')).trials,
      ],
      limitMs: 240_000,
      before: () => (flags['no-build'] === true ? undefined : buildBinary()),
    }
  },
})
