/** File of an exported page. */
export interface ExportedFile {
  /** Path below the folder of the page, with slashes. */
  path: string
  contentType: string
  body: Buffer | StoredBody
}

/** Content that is read when it is written, because it seldom changes. */
export interface StoredBody {
  digest: string
  read(): Promise<Buffer>
}

/** File with its content. */
export interface LoadedFile extends ExportedFile {
  body: Buffer
}

export const loadFile = async (file: ExportedFile): Promise<LoadedFile> => ({
  ...file,
  body: Buffer.isBuffer(file.body) ? file.body : await file.body.read(),
})
