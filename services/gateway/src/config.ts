/** Settings of the gateway in addition to those of every service. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { bucketNames, rateBuckets } from '@status-page/contracts'
import { defineConfig } from '@status-page/service'
import { bucketSettingName } from './limits/buckets.ts'

const rateLimits = Object.fromEntries(
  bucketNames.map((bucket): [string, TSchema] => [
    bucketSettingName(bucket),
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: rateBuckets[bucket].capacity,
      description: `Requests per ${rateBuckets[bucket].windowMs / 1000} s`,
    }),
  ]),
)

export const config = defineConfig({
  REGISTRATION: Type.Unsafe<'open' | 'closed'>({
    type: 'string',
    enum: ['open', 'closed'],
    default: 'open',
    description: 'Whether anyone may register an account',
  }),
  ROOT_PAGE: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$',
    default: 'sign-in',
    description: 'Page of `/`: `sign-in`, `pages` (list of public pages), or the slug of a page',
  }),
  PASSWORD_DENYLIST: Type.Unsafe<'on' | 'off'>({
    type: 'string',
    enum: ['on', 'off'],
    default: 'off',
    description: 'Whether common passwords are refused',
  }),
  SESSION_SECRET: Type.String({ minLength: 32, maxLength: 4096 }),
  TRUST_PROXY_CIDRS: Type.Unsafe<string[]>({
    type: 'array',
    items: { type: 'string' },
    default: [],
    description: 'Proxies whose X-Forwarded-For is trusted',
  }),
  PAGE_CACHE_DIR: Type.Optional(
    Type.String({
      description:
        'Folder for the last good public pages; without it they are stored in memory only',
    }),
  ),
  DASHBOARD_DIR: Type.Optional(
    Type.String({
      description: 'Folder with the build of the dashboard; without it, `/dashboard` is unknown',
    }),
  ),
  AUDIT_RETENTION_DAYS: Type.Integer({ minimum: 30, maximum: 3_650, default: 365 }),
  RATE_LIMIT_MULTIPLIER: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, default: 1 }),
  ...rateLimits,
})
export type GatewayConfig = Static<typeof config>
