/** Every test of the repository runs from source: the condition makes a package's doors lead to its TypeScript. */
import { defineConfig } from 'vitest/config'

const fromSource = { conditions: ['portico-source', 'node', 'development|production'] }

export default defineConfig({
  resolve: fromSource,
  ssr: { resolve: fromSource },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.*',
      'tests/*/*.test.ts',
    ],
    pool: 'threads',
    maxWorkers: 2,
    // Long enough for a machine whose cores are kept busy by others; a test that hangs still ends.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
