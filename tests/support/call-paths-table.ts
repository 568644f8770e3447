/** Prints how many functions of our own one call runs, way by way. Part of `npm run house`; `--list` names them. */

import { bundleHost, bundleSdk, fetchPath, gatewayPath, httpPath, stdioPath } from './call-paths.ts'
import type { FunctionsRun } from './own-functions.ts'

const ERAS = ['2025-11-25', '2026-07-28'] as const

const [sdk, host] = await Promise.all([bundleSdk(), bundleHost()])
for (const era of ERAS) print(`stdio, ${era}`, await stdioPath(sdk, era))
for (const era of ERAS) print(`node:http, ${era}`, await httpPath(sdk, era))
print('fetch, 2026-07-28', await fetchPath(sdk))
for (const era of ERAS) print(`gateway, ${era}`, await gatewayPath(host, era))

function print(way: string, { distinct, calls }: FunctionsRun): void {
  console.log(`${`a call, ${way}`.padEnd(40)} ${distinct.length} functions, ${calls} calls`)
  if (process.argv.includes('--list')) for (const name of distinct) console.log(`  ${name}`)
}
