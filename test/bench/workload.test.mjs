import { expect, it } from "vitest";
import { bytesOf, cellName, matrix, parseCell } from "../../scripts/bench/workload.mjs";

const text = ({ count, size, latency }) => `${count}×${size}@${latency}`;

it("every combination whose PDFs add up to at most 500 MB is measured, the one of the targets first", () => {
  const sizes = { 20000: [1, 10, 100, 1000], 150000: [1, 10, 100, 1000], 5000000: [1, 10, 100] };
  const wanted = Object.entries(sizes).flatMap(([size, counts]) =>
    counts.flatMap(count => [0, 50].map(latency => `${count}×${size}@${latency}`)),
  );
  const cells = matrix();
  expect(cells.map(text).sort()).toEqual(wanted.sort());
  expect(text(cells[0])).toBe("100×150000@50");
  for (const cell of cells) expect(bytesOf(cell)).toBeLessThanOrEqual(500_000_000);
});

it("a cell is written on the command line as it is listed", () => {
  expect(parseCell("10x5MB@0")).toEqual({ count: 10, size: 5_000_000, latency: 0 });
  expect(cellName(parseCell("1000x20kb@50"))).toBe("1000 × 20 KB, 50 ms");
});

it.each(["1000x5MB@0", "7x20KB@0", "10x20KB", ""])("%j is no cell, and the message lists those there are", given => {
  expect(() => parseCell(given)).toThrow(`--cells: "${given}" is no cell; there are 100x150KB@50, 1x20KB@0`);
});
