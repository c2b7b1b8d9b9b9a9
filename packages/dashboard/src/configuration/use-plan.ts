/** Plan of a document by a dry run, and its apply. A plan remains while the next one is read. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApplyResult, applyDocument, exportQuery } from './queries.ts'
import type { DocumentEdit } from './use-document.ts'

export interface Plan {
  result: ApplyResult
  /** Document before the apply, and the one to apply. */
  before: string
  text: string
  prune: boolean
}

export const usePlan = (edit: DocumentEdit) => {
  const queryClient = useQueryClient()
  const [planned, setPlanned] = useState<Plan | null>(null)
  const apply = useMutation({
    mutationFn: async ({ text, prune, before }: Plan): Promise<Plan> => {
      return { before, text, prune, result: await applyDocument(text, { dryRun: false, prune }) }
    },
    async onSuccess() {
      await queryClient.invalidateQueries()
      edit.discard()
      setPlanned(null)
    },
  })
  const plan = useMutation({
    mutationFn: async (prune: boolean): Promise<Plan> => {
      const { text } = edit
      const [before, result] = await Promise.all([
        queryClient.fetchQuery(exportQuery),
        applyDocument(text, { dryRun: true, prune }),
      ])
      return { before, text, prune, result }
    },
    onMutate: () => apply.reset(),
    onSuccess: setPlanned,
  })
  return { planned, plan, apply, error: apply.error ?? plan.error }
}
