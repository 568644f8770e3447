/**
 * Every test of the repository: those of Node run from source (the condition makes a package's doors lead to its
 * TypeScript), those of the page's parts in a browser.
 */
import { appendFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { findChromium, NO_CHROMIUM } from './tests/support/chromium.ts'

const fromSource = { conditions: ['portico-source', 'node', 'development|production'] }

const hasBrowser = findChromium() !== undefined
if (!hasBrowser) tellSkipped(`skipped: the parts of the page: ${NO_CHROMIUM}`)

export default defineConfig({
  test: {
    // The browser of the page's tests is a third: with more, it waits for a core and everything for it.
    maxWorkers: 2,
    projects: [
      {
        resolve: fromSource,
        ssr: { resolve: fromSource },
        test: {
          name: 'node',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/test/**/*.test.ts',
            'examples/**/*.test.ts',
            'scripts/**/*.test.*',
            'tests/*/*.test.ts',
          ],
          pool: 'threads',
          // Long enough for a machine whose cores are kept busy by others; a test that hangs still ends.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      ...(hasBrowser ? ['packages/ui/vitest.config.ts'] : []),
    ],
  },
})

/** On the screen, and where `npm test` gathers such lines for its end. */
function tellSkipped(line: string): void {
  console.log(line)
  const { PORTICO_SKIPPED } = process.env
  if (PORTICO_SKIPPED !== undefined) appendFileSync(PORTICO_SKIPPED, `${line}\n`)
}
