/**
 * `npm run auth`: signing in for real. An authorization server that others wrote, its login and consent pages filled in
 * by plain HTTP, our client on one side of it and our protected server on the other; a token store in Redis; and our
 * own authorization server before a real browser. Words choose the trials whose names hold one of them, `--short` leaves the
 * long ones out. Exit code 1 if a case fails.
 */

import { fileURLToPath } from 'node:url'
import { helpIfAsked } from '../support/help.ts'
import { installPackages } from '../support/install.ts'
import { runTrials } from '../support/trials.ts'

helpIfAsked(import.meta.url)
installPackages(fileURLToPath(new URL('.', import.meta.url)))
const { trials } = await import('./cases.ts')
const { browserTrials } = await import('./browser-cases.ts')
const { storeTrials } = await import('./store-cases.ts')
const { gatewayTrials } = await import('./gateway-cases.ts')
const { gatewayServeTrials } = await import('./gateway-serve-cases.ts')

process.exitCode = await runTrials([
  ...trials,
  ...gatewayTrials,
  ...storeTrials,
  ...browserTrials,
  ...gatewayServeTrials,
])
