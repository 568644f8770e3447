/**
 * `npm run auth`: signing in for real. An authorization server that others wrote, its login and consent pages filled in
 * by plain HTTP, our client on one side of it and our protected server on the other; a token store in Redis; and our
 * own authorization server before a real browser.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'

await runSuite(import.meta.url, {
  async open() {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    return {
      trials: [
        ...(await import('./cases.ts')).trials,
        ...(await import('./gateway-cases.ts')).gatewayTrials,
        ...(await import('./store-cases.ts')).storeTrials,
        ...(await import('./browser-cases.ts')).browserTrials,
        ...(await import('./gateway-serve-cases.ts')).gatewayServeTrials,
      ],
    }
  },
})
