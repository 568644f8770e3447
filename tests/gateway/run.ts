/**
 * `npm run bridge`: every client revision to every server revision through the gateway, on every transport, with
 * programs of ours and of the official packages on either side, feature by feature, as one table. Fails when a cell fails or
 * something is left running. Uses the packages of `npm run interop`.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite, type Trial } from '../support/suite.ts'

await runSuite(import.meta.url, {
  end: 'nothing left open',
  flags: {
    client: { type: 'string', multiple: true, about: 'only clients whose name has this text' },
    server: { type: 'string', multiple: true, about: 'only servers whose name has this text' },
    feature: { type: 'string', multiple: true, about: 'only this feature' },
    principals: {
      type: 'boolean',
      about: '200 principals with 500 calls each and a nonce in every call; 20 with 50 if short',
    },
  },
  async open({ client, server, feature, principals, short }) {
    installPackages(fileURLToPath(new URL('../interop/', import.meta.url)))
    if (principals === true) return { trials: [await principalsTrial(short)] }
    const { planPairs } = await import('./pairs.ts')
    const plan = planPairs({ client, server, feature, short })
    if (client !== undefined || server !== undefined || feature !== undefined) return plan
    const { LONG_WORK } = await import('./long-work.ts')
    return { ...plan, trials: [...LONG_WORK, ...plan.trials] }
  },
})

async function principalsTrial(short: boolean): Promise<Trial> {
  const { runPrincipals } = await import('./principals.ts')
  return {
    name: 'principals',
    run: async () => {
      if (!(await runPrincipals(short)))
        throw new Error('something of one principal reached another, or a call is lost')
    },
  }
}
