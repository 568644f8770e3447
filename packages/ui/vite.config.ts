/** How the workbench page is built: one folder of hashed files, nothing inline, so that a strict policy can hold it. */
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // What it takes of the SDK is built along with it, from source.
  resolve: { conditions: ['portico-source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The policy of the page allows no script that is not a file of its own.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
})
