/** Data of DNS records in the notation of zone files. */
import type { DnsRecordType } from '@status-page/contracts'
import type { CaaData, DecodedPacket, MxData, SoaData, SrvData, TxtData } from 'dns-packet'

export type { DnsRecordType }

/** Maximum number of records of one response. */
const MAX_RECORDS = 256

/** Texts of the records of the type, whichever name of a chain of aliases has them. */
export const recordTexts = ({ answers = [] }: DecodedPacket, type: DnsRecordType): string[] =>
  answers
    .filter((answer) => answer.type === type)
    .slice(0, MAX_RECORDS)
    .map((answer) => texts[type]((answer as { data: unknown }).data as never))

const name = (data: string): string => data.toLowerCase()

const texts: { [Type in DnsRecordType]: (data: never) => string } = {
  A: (data: string) => data,
  AAAA: (data: string) => data,
  CNAME: name,
  NS: name,
  PTR: name,
  MX: ({ preference, exchange }: MxData) => `${preference ?? 0} ${name(exchange)}`,
  TXT: (data: TxtData) => [data].flat().map(String).join(''),
  SRV: ({ priority, weight, port, target }: SrvData) =>
    `${priority ?? 0} ${weight ?? 0} ${port} ${name(target)}`,
  SOA: ({ mname, rname, serial }: SoaData) => `${name(mname)} ${name(rname)} ${serial ?? 0}`,
  CAA: ({ flags, tag, value }: CaaData) => `${flags ?? 0} ${tag} "${value}"`,
}
