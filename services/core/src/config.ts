/** Settings of core in addition to those of every service. */
import { type Static, Type } from '@sinclair/typebox'
import { defineConfig } from '@status-page/service'

export const config = defineConfig({
  STATIC_EXPORT_URL: Type.Optional(
    Type.String({
      pattern: '^(?:file|s3(?:\\+http)?)://',
      description:
        'Target of the static export of public pages: file:///folder, or ' +
        's3://key:secret@host/bucket/prefix?region=name',
    }),
  ),
})
export type CoreConfig = Static<typeof config>
