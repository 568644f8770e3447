/**
 * `npm run auth`: signing in for real. An authorization server that others wrote, its login and consent pages filled in
 * by plain HTTP, our client on one side of it and our protected server on the other; a token store in Redis; and our
 * own authorization server before a real browser. Exit code 1 if a case fails.
 */

import { fileURLToPath } from 'node:url'
import { installProvider } from './install.ts'

installProvider(fileURLToPath(new URL('.', import.meta.url)))
const { trials } = await import('./cases.ts')
const { browserTrials } = await import('./browser-cases.ts')
const { storeTrials } = await import('./store-cases.ts')
const { gatewayTrials } = await import('./gateway-cases.ts')

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
let failed = 0
let ran = 0
let skipped = 0
for (const one of [...trials, ...gatewayTrials, ...storeTrials, ...browserTrials]) {
  if (wanted.length > 0 && !wanted.some((word) => one.name.includes(word))) continue
  const missing = one.missing?.()
  if (missing !== undefined) {
    skipped++
    console.log(`skipped ${one.name}: ${missing}`)
    continue
  }
  ran++
  try {
    await one.run()
    console.log(`ok      ${one.name}`)
  } catch (error) {
    failed++
    console.log(`FAILED  ${one.name}`)
    console.error(error)
  }
}
console.log(`\n${ran - failed} of ${ran} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
process.exitCode = failed === 0 && ran > 0 ? 0 : 1
