import { expect, it } from 'vitest';
import { blocksOf } from '../../../src/flatten/job-blocks.js';
import { asJobId } from '../../../src/model/ids.js';

function textIn(content: string): string | null {
  const value = {
    job_id: asJobId('job-1'),
    answer: { blocks: [{ type: 'MESSAGE', content, stage: 'Respond' }] },
  };
  const [block] = blocksOf({ value, text: JSON.stringify(value) });
  return block ? block.text : null;
}

it('URLs in the texts of blocks lose their signature where they are presigned', () => {
  const signed =
    'see [it](https://files.example/a.csv?X-Amz-Date=20261101T000000Z&X-Amz-Expires=600&X-Amz-Signature=CANARY&v=2).';
  expect(textIn(signed)).toBe('see [it](https://files.example/a.csv?v=2).');
  expect(textIn('<https://a.example/b?sig=CANARY&se=2026&sp=r>')).toBe('<https://a.example/b>');
});

it('URLs in the texts of blocks stay verbatim if they only look presigned', () => {
  const plain = 'https://a.example/search?st=berlin&expires=never&policy=x&q=1 and ?signature=no';
  expect(textIn(plain)).toBe(plain);
});
