/** Build and development server of the dashboard. */
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { dashboardLocales } from './src/texts/locales.ts'

/** Running installation that the development server forwards requests to. */
const target = process.env.DASHBOARD_API_URL ?? 'http://localhost:8080'
const forwardedPaths = [
  '/api',
  '/status',
  '/sign-in',
  '/sign-out',
  '/setup',
  '/account',
  '/dashboard/preview-frame',
]

export default defineConfig(({ command }) => ({
  // The gateway replaces the relative addresses of the document by those below its base URL.
  base: command === 'build' ? './' : '/dashboard/',
  plugins: [react(), optimizeLocales.vite({ locales: [...dashboardLocales] })],
  build: {
    // Data URLs of fonts and scripts would violate the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // build/first-load.ts reads it and limits the files of each view instead of single files.
    manifest: 'manifest.json',
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    target: 'es2023',
    rolldownOptions: {
      output: {
        // One file for all modules of the first static imports. By default, each set of views that
        // shares modules with the frame has a file of its own: 26 of them, 12 kB larger with gzip.
        codeSplitting: { groups: [{ name: 'frame', tags: ['$initial'] }] },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      // The gateway compares the origin of a request with its own.
      forwardedPaths.map((path) => [
        path,
        { target, changeOrigin: true, headers: { origin: target } },
      ]),
    ),
  },
}))
