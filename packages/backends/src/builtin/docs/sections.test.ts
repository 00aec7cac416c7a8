import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sectionsOf } from "./sections.ts";
import { snippetOf } from "./snippet.ts";

describe("sections", () => {
  it("are cut at headings, with the headings above them", () => {
    const { title, sections } = sectionsOf("intro\n# A #\ntext\n### C\nmore\n## B\nlast", "f.md");
    expect(title).toBe("A");
    expect(sections.map(({ headings, line }) => [headings.join("/"), line])).toEqual([
      ["", 1],
      ["A", 2],
      ["A/C", 4],
      ["A/B", 6],
    ]);
  });

  it("are not cut at what looks like a heading in a code block", () => {
    const { sections } = sectionsOf("# A\n````sh\n# no\n```\n## no\n````\n## B\nx", "f.md");
    expect(sections.map(({ headings }) => headings.join("/"))).toEqual(["A", "A/B"]);
  });

  it("are cut where they are long, and named by the file where there is no heading", () => {
    const { title, sections } = sectionsOf("line\n".repeat(200), "notes.txt");
    expect(title).toBe("notes.txt");
    expect(sections.map(({ line }) => line)).toEqual([1, 81, 161]);
  });

  it("hold every line that is not blank, at the line they say", () => {
    const line = fc.constantFrom("", "a", "# h", "## i", "```", "text here");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 100 }), (lines) => {
        const { sections } = sectionsOf(lines.join("\n"), "f");
        for (const section of sections) {
          for (const [offset, text] of section.text.split("\n").entries()) {
            expect(text).toBe(lines[section.line - 1 + offset]);
          }
        }
        const kept = sections.flatMap(({ text }) => text.split("\n")).filter((text) => text.trim() !== "");
        expect(kept).toEqual(lines.filter((text) => text.trim() !== ""));
      }),
    );
  });
});

describe("a snippet", () => {
  it("shows the place where the most terms are, and its line", () => {
    const text = `${"filler words\n".repeat(40)}the walrus and the carpenter\n${"filler words\n".repeat(40)}a walrus`;
    const snippet = snippetOf(text, ["walrus", "carpenter"]);
    expect(snippet.text).toContain("walrus and the carpenter");
    expect(snippet.text).toMatch(/^….*…$/);
    expect(snippet.lineOffset).toBe(40);
  });

  it("is short, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 1000 }),
        fc.string({ minLength: 1, maxLength: 3 }),
        (text, term) => {
          expect(snippetOf(text, [term]).text.length).toBeLessThanOrEqual(242);
        },
      ),
    );
  });
});
