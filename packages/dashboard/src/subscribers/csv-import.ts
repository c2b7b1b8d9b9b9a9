/** Import of subscribers from a CSV file: a dry run reports every row before anything is stored. */
import type { Schemas } from '@status-page/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export type CsvReport = Schemas['ImportReport']

/** Treatment of addresses that exist already. */
export const duplicateChoices = ['skip', 'update', 'fail'] as const
export type DuplicateChoice = (typeof duplicateChoices)[number]

export interface CsvSource {
  file: File
  duplicates: DuplicateChoice
}

export interface CsvPlan {
  source: CsvSource
  report: CsvReport
}

export const useCsvImport = () => {
  const queryClient = useQueryClient()
  const plan = useMutation({
    mutationFn: async (source: CsvSource): Promise<CsvPlan> => ({
      source,
      report: await sendCsv(source, { dryRun: true }),
    }),
  })
  const apply = useMutation({
    mutationFn: (source: CsvSource) => sendCsv(source, { dryRun: false }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['subscribers'] }),
  })
  return { plan, apply }
}

const sendCsv = async (
  { file, duplicates }: CsvSource,
  { dryRun }: { dryRun: boolean },
): Promise<CsvReport> => {
  const { data } = await api.POST('/api/v1/subscribers/import', {
    // The type of a file in the document of the API is a string.
    body: { file: file as unknown as string },
    bodySerializer: () => {
      const form = new FormData()
      form.append('skipDuplicates', String(duplicates === 'skip'))
      form.append('updateDuplicates', String(duplicates === 'update'))
      form.append('dryRun', String(dryRun))
      form.append('file', file)
      return form
    },
  })
  return data
}
