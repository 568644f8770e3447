/**
 * Every test of the repository: those of Node run from source (the condition makes a package's doors lead to its
 * TypeScript), those of the page's parts in a browser. Tests beside the code share what is loaded, because loading it again
 * for each file is most of what they would cost; those that put something else in its place, or start whole servers, hosts
 * and programs, have a thread for each file.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { isTestFile, listCode } from './scripts/tree.mjs'
import { findChromium, NO_CHROMIUM } from './tests/support/chromium.ts'
import { isShort, LONG_FILES } from './tests/support/short.ts'

const fromSource = { conditions: ['portico-source', 'node', 'development|production'] }

/** Other clocks, modules, variables: what the next file in the same thread would find changed. */
const CHANGES_WHAT_IS_SHARED =
  /\bvi\.|process\.env\.\w+ = |delete process\.env|process\.chdir|globalThis\.\w+ = |setFlags/
const root = import.meta.dirname
const folders = [...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`), 'scripts']
const isOfNode = (file: string): boolean => isTestFile(file) && !file.endsWith('.tsx')
const besideCode = folders.flatMap((folder) => listCode(root, folder)).filter(isOfNode)
const isAlone = (file: string): boolean => CHANGES_WHAT_IS_SHARED.test(readFileSync(join(root, file), 'utf8'))

const left = isShort ? { exclude: [...configDefaults.exclude, ...LONG_FILES] } : {}

const hasBrowser = findChromium() !== undefined
if (isShort) tellSkipped(`skipped: ${LONG_FILES.length} long files and the rest of long tables (npm run unit)`)
if (!hasBrowser) tellSkipped(`skipped: the parts of the page: ${NO_CHROMIUM}`)

export default defineConfig({
  test: {
    // The browser of the page's tests is a third: with more, it waits for a core and everything for it.
    maxWorkers: 2,
    projects: [
      ofNode('parts', { isolate: false, include: besideCode.filter((file) => !isAlone(file)), ...left }),
      ofNode('whole', {
        include: [
          ...besideCode.filter(isAlone),
          'packages/*/test/**/*.test.ts',
          'examples/**/*.test.ts',
          'tests/*/*.test.ts',
          'bench/*/*.test.ts',
        ],
        ...left,
      }),
      ...(hasBrowser ? ['packages/ui/vitest.config.ts'] : []),
    ],
  },
})

function ofNode(name: string, own: { include: string[]; exclude?: string[]; isolate?: boolean }) {
  return {
    resolve: fromSource,
    ssr: { resolve: fromSource },
    test: {
      name,
      ...own,
      pool: 'threads' as const,
      // Long enough for a machine whose cores are kept busy by others; a test that hangs still ends.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000 } },
    },
  }
}

/** On the screen, and where `npm test` gathers such lines for its end. */
function tellSkipped(line: string): void {
  console.log(line)
  const { PORTICO_SKIPPED } = process.env
  if (PORTICO_SKIPPED !== undefined) appendFileSync(PORTICO_SKIPPED, `${line}\n`)
}
