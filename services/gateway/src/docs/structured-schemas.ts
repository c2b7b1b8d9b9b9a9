/**
 * Schemas of content types other than JSON, whose structure a standard or other documentation
 * defines.
 */
import { OneLine } from '@status-page/contracts'
import { createConverter, type JsonObject } from './schemas.ts'

export const YAML_TYPE = 'application/yaml'

const MAX_NAME = 100
const MAX_VERSION = 64

const { convert } = createConverter()
const name = convert(OneLine(MAX_NAME))

/** Named entries; the documentation of configuration documents describes their fields. */
const entries = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name } },
}

const configuration = {
  type: 'object',
  description: 'A configuration document of at most 256 KiB',
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { const: 'v1' },
    kind: { const: 'StatusPageConfig' },
    metadata: {
      type: 'object',
      required: ['name', 'configVersion'],
      properties: { name, configVersion: convert(OneLine(MAX_VERSION)) },
    },
    spec: {
      type: 'object',
      properties: { componentGroups: entries, integrations: entries, components: entries },
    },
  },
}

const feed = {
  type: 'object',
  required: ['version', 'title', 'items'],
  properties: {
    version: { type: 'string', description: 'JSON Feed 1.1, https://www.jsonfeed.org' },
    title: { type: 'string' },
    items: { type: 'array', items: { type: 'object' } },
  },
}

const streamEvent = {
  type: 'object',
  description: 'One event of the stream; the operation describes its fields',
  required: ['data'],
  properties: {
    id: { type: 'string', description: 'Value of `Last-Event-ID` at a reconnect' },
    event: { type: 'string', description: 'Default: `message`' },
    data: { type: 'string' },
  },
}

export const structuredSchemas: Readonly<Record<string, JsonObject>> = {
  'application/feed+json': feed,
  [YAML_TYPE]: configuration,
  'text/event-stream': streamEvent,
}
