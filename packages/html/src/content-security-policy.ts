/**
 * Content-Security-Policy of pages: only inline styles and scripts with the given hashes. Images may
 * come from any HTTPS origin.
 */
import { createHash } from 'node:crypto'

export const policyHash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Content-Security-Policy; scripts are forbidden by default. */
export const contentSecurityPolicy = (style: string, scripts = "'none'"): string =>
  [
    "default-src 'none'",
    "img-src 'self' https: data:",
    `style-src ${policyHash(style)}`,
    `script-src ${scripts}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
