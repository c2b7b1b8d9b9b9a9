/** Import of a page of Statuspage: reads the documents, reports the plan, and applies it. */
import type { Schemas } from '@status-page/client'
import type { Right } from '@status-page/contracts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { documentsOf, type ImportDocuments } from './documents.ts'

/** Rights that an import of everything requires. */
export const importRights: readonly Right[] = [
  'CONFIG_CREATE',
  'STATUS_PAGES_CREATE',
  'COMPONENTS_CREATE',
  'INCIDENTS_CREATE',
  'MAINTENANCES_CREATE',
]

export type PageImportReport = Schemas['StatuspageReport']

export type ImportSource =
  | { kind: 'address'; url: string; apiKey: string }
  | { kind: 'files'; files: readonly File[] }

export interface PageImportPlan {
  documents: ImportDocuments
  report: PageImportReport
}

export const useStatuspageImport = () => {
  const queryClient = useQueryClient()
  const plan = useMutation({
    mutationFn: async (source: ImportSource): Promise<PageImportPlan> => {
      const documents = await documentsFrom(source)
      return { documents, report: await importDocuments(documents, { dryRun: true }) }
    },
  })
  const apply = useMutation({
    mutationFn: (documents: ImportDocuments) => importDocuments(documents, { dryRun: false }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return { plan, apply }
}

const documentsFrom = async (source: ImportSource): Promise<ImportDocuments> => {
  if (source.kind === 'files') return documentsOf(source.files)
  const { url, apiKey } = source
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`
  const body = { url: address, ...(apiKey === '' ? {} : { apiKey }) }
  return (await api.POST('/api/v1/imports/statuspage/documents', { body })).data
}

const importDocuments = async (
  body: ImportDocuments,
  query: { dryRun: boolean },
): Promise<PageImportReport> =>
  (await api.POST('/api/v1/imports/statuspage', { params: { query }, body })).data
