package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// mutation is one change of one line.
type mutation struct {
	file       string // as it was asked for
	in         string // the function; "": none
	kind       string
	line       int
	start, end int // the bytes that text takes the place of
	text       string
	was, is    string // the line before and after, without its indentation
}

// apply returns the source with the mutation.
func (m *mutation) apply(src []byte) []byte {
	out := append([]byte{}, src[:m.start]...)
	return append(append(out, m.text...), src[m.end:]...)
}

func (m *mutation) String() string {
	return fmt.Sprintf("%s:%d: %s\n\t- %s\n\t+ %s", m.file, m.line, m.kind, m.was, m.is)
}

// swapped has the operator that each is mistaken for most easily.
var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// finder collects the mutations of one file.
type finder struct {
	name string
	in   string    // the function that is looked at
	end  token.Pos // of that function
	src  []byte
	fset *token.FileSet
	all  []mutation
}

// mutationsOf returns the mutations of a file, in its order. A dropped part stays in the
// source behind a condition that is never met, so that no variable is left unused.
//
// An error of a neighbour, which is handed on, is left alone: to notice that, a test needs a
// neighbour that fails, and each such line would be listed.
func mutationsOf(name string, src []byte) ([]mutation, error) {
	f := &finder{name: name, src: src, fset: token.NewFileSet()}
	file, err := parser.ParseFile(f.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.in, f.end = n.Name.Name, n.End()
		case *ast.GenDecl:
			if n.Pos() > f.end { // of the file, and of no function
				f.in = ""
			}
		case *ast.ImportSpec:
			return false
		case *ast.IfStmt:
			return f.branch(n)
		case *ast.ForStmt:
			if n.Cond != nil {
				f.negate(n.Cond)
			}
		case *ast.ExprStmt:
			f.drop(n)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				f.drop(n)
			}
			f.operator(n.TokPos, n.Tok, false)
		case *ast.IncDecStmt:
			f.drop(n)
			f.operator(n.TokPos, n.Tok, false)
		case *ast.BinaryExpr:
			f.binary(n)
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
				f.add("off by one", n, strconv.FormatInt(v+1, 10))
			}
		}
		return true
	})
	return f.all, nil
}

// branch adds the mutations of an if, and reports whether those within it count.
func (f *finder) branch(n *ast.IfStmt) bool {
	if c, ok := n.Cond.(*ast.BinaryExpr); ok && c.Op == token.NEQ && isName(c.X, "err") && isName(c.Y, "nil") {
		return f.text(n.Body) != "" && !handsOn(n.Body)
	}
	f.negate(n.Cond)
	for _, s := range n.Body.List {
		switch s := s.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			if n.Else == nil {
				f.drop(s)
			}
		}
	}
	return true
}

// handsOn reports whether a block does nothing but return.
func handsOn(b *ast.BlockStmt) bool {
	if len(b.List) != 1 {
		return false
	}
	_, returns := b.List[0].(*ast.ReturnStmt)
	return returns
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// binary adds the mutations of an operator and of its operands.
func (f *finder) binary(n *ast.BinaryExpr) {
	f.operator(n.OpPos, n.Op, isText(n.X) || isText(n.Y))
	without := map[token.Token]string{token.LAND: "|| true", token.LOR: "&& false"}[n.Op]
	if without == "" {
		return
	}
	for _, operand := range []ast.Expr{n.X, n.Y} {
		f.add("drop operand", operand, fmt.Sprintf("(%s %s)", f.text(operand), without))
	}
}

// isText reports whether an operand is a text, which has no difference.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isText(e.X) || isText(e.Y)
	default:
		return false
	}
}

func (f *finder) negate(cond ast.Expr) {
	f.add("negate condition", cond, "!("+f.text(cond)+")")
}

func (f *finder) drop(s ast.Node) {
	f.add("drop statement", s, "if false { "+f.text(s)+" }")
}

func (f *finder) operator(at token.Pos, op token.Token, texts bool) {
	if to, ok := swapped[op]; ok && !texts {
		start := f.fset.Position(at).Offset
		f.put("swap operator", start, start+len(op.String()), to.String())
	}
}

func (f *finder) text(n ast.Node) string {
	return string(f.src[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}

func (f *finder) add(kind string, n ast.Node, text string) {
	f.put(kind, f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset, text)
}

// put adds a mutation, if it changes one line.
func (f *finder) put(kind string, start, end int, text string) {
	if bytes.ContainsRune(f.src[start:end], '\n') {
		return
	}
	from := bytes.LastIndexByte(f.src[:start], '\n') + 1
	to := len(f.src)
	if n := bytes.IndexByte(f.src[end:], '\n'); n >= 0 {
		to = end + n
	}
	m := mutation{file: f.name, in: f.in, kind: kind, line: 1 + bytes.Count(f.src[:start], []byte("\n")), start: start, end: end, text: text}
	m.was = strings.TrimSpace(string(f.src[from:to]))
	m.is = strings.TrimSpace(string(f.src[from:start]) + text + string(f.src[end:to]))
	f.all = append(f.all, m)
}
