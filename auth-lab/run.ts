/**
 * `npm run auth`: signing in for real. An authorization server that others wrote, its login and consent pages filled in
 * by plain HTTP, our client on one side of it and our protected server on the other. Exit code 1 if a case fails.
 */

import { fileURLToPath } from 'node:url'
import { installProvider } from './install.ts'

installProvider(fileURLToPath(new URL('.', import.meta.url)))
const { cases, runCase } = await import('./cases.ts')

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
let failed = 0
let ran = 0
for (const one of cases) {
  if (wanted.length > 0 && !wanted.some((word) => one.name.includes(word))) continue
  ran++
  try {
    await runCase(one)
    console.log(`ok      ${one.name}`)
  } catch (error) {
    failed++
    console.log(`FAILED  ${one.name}`)
    console.error(error)
  }
}
console.log(`\n${ran - failed} of ${ran} passed`)
process.exitCode = failed === 0 && ran > 0 ? 0 : 1
