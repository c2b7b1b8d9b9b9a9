/** Japanese texts of the import from Statuspage. */
import type { imports as model } from '../en/imports.ts'

export const imports: typeof model = {
  title: 'Statuspage からインポート',
  intro:
    'ページ、コンポーネント、インシデント、メンテナンス。購読者には何も送信されず、インポートは繰り返せます。',
  address: 'ページから',
  url: 'ページのアドレス',
  urlHint: '例: https://status.example.com',
  apiKey: 'Statuspage の API キー',
  apiKeyHint:
    '任意。キーがあるとすべてのインシデントと色を、ないと最新 50 件のインシデントをインポートします。キーは保存されません。',
  read: 'ページを読み込む',
  reading: '読み込み中 …',
  files: 'ファイルから',
  filesHint: 'Statuspage の API の JSON ドキュメントと、購読者の CSV エクスポート。',
  choose: 'ファイルを選択',
  badFile: '{name} は Statuspage のドキュメントではありません。',
  plan: 'インポートする内容',
  imported: 'インポートした内容',
  done: 'インポートが完了しました。',
  page: 'ページ',
  components: 'コンポーネント',
  incidents: 'インシデント',
  maintenances: 'メンテナンス',
  subscribers: '購読者',
  counts: '新規 {created} 件、更新あり {updated} 件、変更なし {unchanged} 件',
  people: 'インポート {imported} 件、スキップ {skipped} 件、失敗 {failed} 件',
  none: 'なし',
  warnings: '調整または省略された項目',
  apply: 'インポート',
  applying: 'インポート中 …',
  back: '別のソースを選択',
}
