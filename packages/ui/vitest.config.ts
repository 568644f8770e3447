/** The parts of the page as people meet them: every `*.test.tsx` runs in one real browser, the machine's own Chromium. */
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defaultClientConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { findChromium } from '../../tests/support/chromium.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['portico-source', ...defaultClientConditions] },
  // Named here so that none is found on the way, which would load the page anew in the middle of a test.
  optimizeDeps: {
    include: [
      'react',
      'react-dom/client',
      'react/jsx-dev-runtime',
      '@mantine/core',
      '@mantine/hooks',
      '@mantine/notifications',
      '@mantine/spotlight',
      '@radix-ui/react-icons',
      'markdown-to-jsx/react',
    ],
  },
  test: {
    name: 'page',
    include: ['src/**/*.test.tsx'],
    // Long enough for a machine whose cores are kept busy by others.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 15, timeout: 60_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      ui: false,
      connectTimeout: 600_000,
      fileParallelism: false,
      viewport: { width: 1_000, height: 800 },
      provider: playwright({
        launchOptions: {
          executablePath: findChromium() ?? '',
          args: [
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
          ],
        },
        actionTimeout: 60_000,
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
