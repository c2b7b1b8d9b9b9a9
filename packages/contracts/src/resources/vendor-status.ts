/**
 * Status of vendors: what the status page of another organization reports about a service that a
 * component stands for.
 */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { HttpUrl, Id, Nullable, OneLine, OneOf } from '../scalars.ts'
import { requestErrors } from './checks.ts'
import { componentStatuses } from './component-status.ts'

export const upstreamModes = ['mirror', 'draft', 'note'] as const
export type UpstreamMode = (typeof upstreamModes)[number]
export const DEFAULT_UPSTREAM_MODE: UpstreamMode = 'mirror'

const MAX_VENDOR_COMPONENT = 200
export const MAX_VENDOR_NAME = 100
export const MAX_VENDOR_MESSAGE = 500

const upstreamMode = {
  description:
    '`mirror`: the status of the component follows the vendor; `draft`: a disruption at the ' +
    'vendor creates an incident draft, and status pages do not show the report; `note`: status ' +
    'pages show the report next to the component, whose status does not change',
}

/** Vendor's page that a component follows, as clients enter it. */
export const UpstreamInput = Type.Object({
  url: {
    ...HttpUrl,
    description:
      "Address of the vendor's status page (Statuspage v2, also served by other products, and " +
      'pages of this product), of its JSON, or of its RSS or Atom feed',
  },
  component: Type.Optional(
    Nullable({
      ...OneLine(MAX_VENDOR_COMPONENT),
      description: "Name or id of the vendor's component; null: the whole page",
    }),
  ),
  mode: Type.Optional(OneOf(upstreamModes, { default: DEFAULT_UPSTREAM_MODE, ...upstreamMode })),
})
export type UpstreamInput = Static<typeof UpstreamInput>

/** Upstream with its defaults, as the API returns it. */
export const UpstreamSettings = Type.Object({
  url: Type.String(),
  component: Nullable(Type.String()),
  mode: OneOf(upstreamModes, upstreamMode),
})
export type UpstreamSettings = Static<typeof UpstreamSettings>

/** Adds the defaults; the stored form of an upstream. */
export const toUpstreamSettings = ({ url, component, mode }: UpstreamInput): UpstreamSettings => ({
  url,
  component: component ?? null,
  mode: mode ?? DEFAULT_UPSTREAM_MODE,
})

export const vendorFaults = [
  ...requestErrors,
  'too_many_redirects',
  'unknown_format',
  'component_not_found',
] as const
export type VendorFault = (typeof vendorFaults)[number]

export const vendorStatuses = [...componentStatuses, 'no_data'] as const
export type VendorStatus = (typeof vendorStatuses)[number]

/** Latest report of a vendor about a component. */
export const VendorReport = Type.Object({
  status: OneOf(vendorStatuses, {
    description:
      '`no_data`: the page is unreachable, has an unknown format, or has no such component; the ' +
      'status of the component does not change then',
  }),
  error: Nullable(OneOf(vendorFaults, { description: 'Reason for `no_data`' })),
  vendor: Type.String({ description: 'Name of the vendor, as its page gives it' }),
  message: Nullable(
    Type.String({
      description: "Plain text of the vendor's page, such as the title of an incident",
    }),
  ),
  url: Type.String({ description: "Vendor's page for readers" }),
  reportedAt: Type.String({
    format: 'timestamp',
    description: "Time of the vendor's last change, or the time when it was first read",
  }),
})
export type VendorReport = Static<typeof VendorReport>

/** Report on a public page, without the reason for missing data. */
export const PublicVendorReport = Type.Object(Type.Omit(VendorReport, ['error']).properties, {
  description: "Statement of the vendor that the component follows; texts are the vendor's own",
})
export type PublicVendorReport = Static<typeof PublicVendorReport>

export const VendorStatusEventData = Type.Object({
  componentId: Id,
  name: Type.String(),
  /** Settings to which the report belongs. */
  upstream: Type.Object({ url: Type.String(), component: Nullable(Type.String()) }),
  report: VendorReport,
})
export type VendorStatusEventData = Static<typeof VendorStatusEventData>

/** Emitted when the report of a vendor about a component changes. */
export const vendorStatusChanged = event(
  'vendor-status.changed',
  ['monitor'],
  Type.Object({ vendorStatus: VendorStatusEventData }),
)
